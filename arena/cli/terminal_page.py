"""A page of the manual in a terminal, of which code can be copied and no cell of a table is cut."""

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement, TableElement
from rich.syntax import Syntax
from rich.table import Table


class WholeCode(CodeBlock):
    """Code in the lines in which it was written: a terminal that breaks one still copies it whole."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Syntax("", self.lexer_name, theme=self.theme, background_color="default").highlight(str(self.text))
        code.rstrip()
        code.no_wrap, code.overflow = True, "ignore"
        yield code


class WholeTable(TableElement):
    """A table whose cells break a long word instead of cutting it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for shown in super().__rich_console__(console, options):
            if isinstance(shown, Table):
                for column in shown.columns:
                    column.overflow = "fold"
            yield shown


class Page(Markdown):
    """The text of a page; print it without cropping."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": WholeCode,
        "code_block": WholeCode,
        "table_open": WholeTable,
    }
