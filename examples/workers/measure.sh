#!/bin/sh
# measure.sh [QUEUE [HOW_MANY]]: a worker in POSIX shell, through the command line.
# It takes calls from the queue and measures their words; after HOW_MANY calls it ends (0: never).
#
# What every worker does: claim, beat while it works, stop when the answer is not "go on", close with the
# attempt's number. Should it die, its lease runs out and another gets the next attempt.
set -eu
queue=${1:-lengths} left=${2:-0} taken=0

# text NAME and number NAME: a field of the envelope, which is one line of JSON.
text() { printf '%s\n' "$envelope" | sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }
number() { printf '%s\n' "$envelope" | sed -n 's/.*"'"$1"'":\([0-9]*\).*/\1/p'; }

# work measures word by word. What it says on the way keeps the call alive, and is seen by
# `baton trace --follow` and `baton call show`.
work() {
    lengths=
    for word in $(text words); do
        lengths=${lengths:+$lengths,}${#word}
        said=$(baton --session "$session" call stream "$call" "measured $word" --attempt "$attempt" --json)
        case $said in *'"go on"'*) ;; *) return 1 ;; esac
    done
}

while :; do
    # Asking again under the same request id gives the same call, should the answer have been lost.
    if ! envelope=$(baton call claim --queue "$queue" --wait 60s --request-id "measure-$$-$taken" --json 2>/dev/null); then
        sleep 1 # no work came, or the server is away for a while
        continue
    fi
    taken=$((taken + 1))
    session=$(text session) call=$(text call_id) attempt=$(number attempt)
    # A close that is refused with status 4 came too late: another attempt counts.
    if ! work || ! baton --session "$session" call close --id "$call" --attempt "$attempt" --status ok --output "lengths=[$lengths]"; then
        echo "measure.sh: attempt $attempt of $call does not count" >&2
    fi
    [ "$taken" -ne "$left" ] || exit 0
done
