#!/usr/bin/env bash
# Compares BOT with its version at AGAINST. Writes arena-comment.md and the job's summary, and the exit code of `arena regress` as an output.
set -euo pipefail

git fetch --quiet --depth=1 origin "$AGAINST"
base="${RUNNER_TEMP:-/tmp}/arena-$(git rev-parse FETCH_HEAD)"
git worktree add --quiet --detach --force "$base" FETCH_HEAD
trap 'git worktree remove --force "$base"' EXIT

options=(--hands "$HANDS")
if [ -n "$SANDBOX" ]; then options+=(--sandbox "$SANDBOX"); fi
for opponent in $GAUNTLET; do options+=(--gauntlet "$opponent"); done

code=0
if [ -e "$base/${BOT%%:*}" ]; then
    arena regress "$BOT" --against "$base/$BOT" "${options[@]}" >arena-answer.txt || code=$?
    arena diff "$base/$BOT" "$BOT" ${SANDBOX:+--sandbox "$SANDBOX"} >arena-diff.txt || test $? -eq 1 || echo "not known" >arena-diff.txt
    case $code in
    0) answer="not weaker" ;;
    4) answer="weaker" ;;
    5) answer="undecided after $HANDS hands" ;;
    *) answer="not tested: exit code $code, see the log" ;;
    esac
else
    answer="new: there is nothing to compare it with"
    : >arena-answer.txt >arena-diff.txt
fi

quoted() { sed 's/^/    /' "$1" | head -c 30000; } # indented, it is code that no line of it can end
{
    printf '**%s** against %s: **%s**\n\n' "$BOT" "$AGAINST" "$answer"
    quoted arena-answer.txt
    printf '\n<details><summary>Decisions that differ</summary>\n\n'
    quoted arena-diff.txt
    printf '\n</details>\n'
} >arena-comment.md
cat arena-comment.md >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
