#!/bin/sh
# Checks that no claim about somebody else is old: `check-compare.sh [--dry-run]`, of the rows of the comparison page.
#
# A row's date is that of its source. TODAY=YYYY-MM-DD asks for another day than this one.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

DAYS_MAX=120
today=${TODAY:-$(date -u +%Y-%m-%d)}
awk -v today="$today" -v most="$DAYS_MAX" '
  function day_number(date, year, month, shift) {
    shift = int((14 - substr(date, 6, 2)) / 12)
    year = substr(date, 1, 4) + 4800 - shift
    month = substr(date, 6, 2) + 12 * shift - 3
    return substr(date, 9, 2) + int((153 * month + 2) / 5) + 365 * year + int(year / 4) - int(year / 100) + int(year / 400)
  }
  /^\| (what|---)/ || !/^\| / { next }
  {
    rows++
    dates = 0
    rest = $0
    while (match(rest, /, [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]\]/)) {
      date = substr(rest, RSTART + 2, 10)
      rest = substr(rest, RSTART + RLENGTH)
      dates++
      age = day_number(today) - day_number(date)
      if (age > most) { old++; print "line " NR ": its source is of " date ", " age " days ago" }
    }
    if (dates == 0) { old++; print "line " NR ": its source has no date" }
  }
  END {
    if (rows == 0) print "there are no rows"
    exit rows == 0 || old > 0
  }
' "$ROOT/src/docs/compare.md" >&2 ||
  fail "look these rows of src/docs/compare.md up again: at a release, none may be older than $DAYS_MAX days"
say "the comparison's rows are no older than $DAYS_MAX days"
