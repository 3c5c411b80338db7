import msgspec
import pytest
from msgspec.structs import asdict, fields
from support.hands.builders import RULESETS

from arena.gin.rules import Rules


@pytest.mark.rule("R9.2")
@pytest.mark.parametrize(("best_of", "wins"), [(1, 1), (3, 2), (5, 3), (7, 4)])
def test_more_than_half_of_the_games_win_a_match(best_of: int, wins: int) -> None:
    assert Rules(best_of=best_of).games_to_win == wins


@pytest.mark.rule("R9.2")
def test_an_even_number_of_games_is_refused_because_it_could_end_in_a_tie() -> None:
    with pytest.raises(ValueError, match="best_of: 4 can end in a tie; expected an odd number"):
        Rules(best_of=4)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"target": 0}', r"Expected `int` >= 1 - at `\$.target`"),
        ('{"knock_limit": -1}', r"Expected `int` >= 0 - at `\$.knock_limit`"),
        ('{"best_of": 4}', "best_of: 4 can end in a tie"),
        ('{"gin_bonus": "25"}', r"Expected `int`, got `str` - at `\$.gin_bonus`"),
        ('{"gin_bonus": 2.5}', r"Expected `int`, got `float` - at `\$.gin_bonus`"),
        ('{"tie": "draw"}', r"Invalid enum value 'draw' - at `\$.tie`"),
        ('{"knok_limit": 9}', "unknown field `knok_limit`"),
        ('{"gin_deadwood": 0}', r"Expected `bool`, got `int` - at `\$.gin_deadwood`"),
        ('{"max_takes": 0}', r"Expected `int` >= 1 - at `\$.max_takes`"),
        ('{"big_gin_bonus": "none"}', r"at `\$.big_gin_bonus`"),
    ],
)
@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_an_impossible_value_is_refused_under_every_ruleset(ruleset: Rules, text: str, complaint: str) -> None:
    named = text.replace("{", f'{{"name": "{ruleset.name}", ')
    with pytest.raises(msgspec.ValidationError, match=complaint):
        msgspec.json.decode(named, type=type(ruleset))


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_every_option_of_every_ruleset_can_be_overridden_and_read_back(ruleset: Rules) -> None:
    for field in fields(Rules):
        others = [value for made in RULESETS.values() if (value := getattr(made, field.name)) != getattr(ruleset, field.name)]
        for value in others:
            changed = type(ruleset)(**{**asdict(ruleset), field.name: value})
            assert getattr(changed, field.name) == value
            assert asdict(changed)[field.name] == value
            assert msgspec.json.decode(msgspec.json.encode(changed), type=type(ruleset)) == changed


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_every_field_of_a_ruleset_has_the_value_that_it_shows(ruleset: Rules) -> None:
    assert asdict(ruleset) == {field.name: getattr(ruleset, field.name) for field in fields(Rules)}
