"""Numbers as python-stdnum makes and judges them, for the guard's detectors.

    guard_numbers.py --list     prints the detectors that it has numbers for; fails if python-stdnum is not installed
    guard_numbers.py '{"count": 1000, "seed": 1}'
        prints a JSON line per number, {"detector", "number", "isValid"}: so many valid ones of each detector, and each of
        them with one digit changed. They are written without separators.
    guard_numbers.py --ibans    prints the length of each country's IBAN
"""

import json
import random
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Callable

from stdnum import luhn, mac
from stdnum import iban as ibans

DIGITS = "0123456789"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Draw = random.Random
Make = Callable[[Draw], str]


def digits(draw: Draw, count: int) -> str:
    return "".join(draw.choice(DIGITS) for _ in range(count))


def letters(draw: Draw, count: int, alphabet: str = LETTERS) -> str:
    return "".join(draw.choice(alphabet) for _ in range(count))


def date(draw: Draw, form: str) -> str:
    """Writes a day that every month has, as Y (four digits), y (two), m and d say."""
    day = {"Y": draw.randrange(1930, 2010), "m": draw.randrange(1, 13), "d": draw.randrange(1, 29)}
    parts = {"Y": f"{day['Y']:04}", "y": f"{day['Y'] % 100:02}", "m": f"{day['m']:02}", "d": f"{day['d']:02}"}
    return "".join(parts[one] for one in form)


def make_card(draw: Draw) -> str:
    first = draw.choice(["4539", "5425", "2305", "6011", "6445", "6521", "3530", "6212", "3412", "3712"])
    return first + digits(draw, 10 if first[:2] in ("34", "37") else 11)


def make_iban(draw: Draw) -> str:
    country = draw.choice(sorted(iban_lengths()))
    structure = iban_structure(country)
    kinds = {"n": DIGITS, "a": LETTERS, "c": DIGITS + LETTERS}
    rest = ""
    for part in structure.replace("!", "").replace("n", "n ").replace("a", "a ").replace("c", "c ").split():
        rest += letters(draw, int(part[:-1]), kinds[part[-1]])
    return country + ibans.calc_check_digits(country + "xx" + rest) + rest


def iban_structure(country: str) -> str:
    """Returns the parts behind the check digits, such as `4!a6!n8!n`, or an empty text for no country."""
    return str(ibans._ibandb.info(country)[0][1].get("bban", ""))


@cache
def iban_lengths() -> dict[str, int]:
    countries = (first + second for first in LETTERS for second in LETTERS)
    found = {}
    for country in countries:
        structure = iban_structure(country)
        if structure:
            parts = "".join(one if one in DIGITS else " " for one in structure).split()
            found[country] = 4 + sum(int(part) for part in parts)
    return found


def make_nie(draw: Draw) -> str:
    return draw.choice("XYZ") + digits(draw, 7) if draw.random() < 0.5 else digits(draw, 8)


def make_nir(draw: Draw) -> str:
    department = draw.choice(["2A", "2B", digits(draw, 2)])
    number = draw.choice("12") + date(draw, "ym") + department + digits(draw, 6)
    return number + import_module("stdnum.fr.nir").calc_check_digits(number)


def make_cf(draw: Draw) -> str:
    day = draw.randrange(1, 29) + draw.choice([0, 40])
    month = draw.choice("ABCDEHLMPRST")
    return letters(draw, 6) + digits(draw, 2) + month + f"{day:02}" + letters(draw, 1) + digits(draw, 3)


def make_idnr(draw: Draw) -> str:
    """One of the digits stands there twice or three times."""
    while True:
        number = digits(draw, 10)
        if sorted(number.count(one) for one in DIGITS if one in number)[-2:] in ([1, 2], [1, 3]):
            return number


def make_ric(draw: Draw) -> str:
    place = draw.choice(["110101", "310101", "360426", "440103", "510104", "610102"])
    return place + date(draw, "Ymd") + digits(draw, 3)


def make_hetu(draw: Draw) -> str:
    return date(draw, "dmy") + draw.choice("-A+BCDEFUVWXY") + f"{draw.randrange(2, 900):03}"


def make_mac(draw: Draw) -> str:
    return ":".join(letters(draw, 2, DIGITS + "abcdef") for _ in range(6))


@dataclass
class Row:
    module: ModuleType
    """Makes the number up to its check characters."""
    make: Make
    """One of them completes it."""
    checks: tuple[str, ...] = tuple(DIGITS)
    """The places before it aren't changed."""
    changes_from: int = 0
    options: tuple[tuple[str, object], ...] = ()

    def is_valid(self, number: str) -> bool:
        return bool(self.module.is_valid(number, **dict(self.options)))


def row(name: str, make: Make, checks: tuple[str, ...] = tuple(DIGITS), **more: object) -> Row:
    return Row(import_module(f"stdnum.{name}"), make, checks, **more)  # type: ignore[arg-type]


WHOLE = ("",)
TWO = tuple(f"{one:02}" for one in range(100))

ROWS: dict[str, Row] = {
    # A card of another network is none.
    "card": Row(luhn, make_card, changes_from=4),
    "iban": Row(ibans, make_iban, WHOLE, options=(("check_country", False),)),
    "mac": Row(mac, make_mac, WHOLE, options=(("validate_manufacturer", False),)),
    "us_ssn": row("us.ssn", lambda draw: digits(draw, 9), WHOLE),
    "us_itin": row("us.itin", lambda draw: "9" + digits(draw, 8), WHOLE),
    "uk_nhs": row("gb.nhs", lambda draw: digits(draw, 9)),
    "ca_sin": row("ca.sin", lambda draw: digits(draw, 8)),
    "au_tfn": row("au.tfn", lambda draw: digits(draw, 8)),
    "in_aadhaar": row("in_.aadhaar", lambda draw: digits(draw, 11)),
    "in_pan": row("in_.pan", lambda draw: letters(draw, 5) + digits(draw, 4) + letters(draw, 1), WHOLE),
    "br_cpf": row("br.cpf", lambda draw: digits(draw, 9), TWO),
    "nl_bsn": row("nl.bsn", lambda draw: digits(draw, 8)),
    "fr_nir": row("fr.nir", make_nir, WHOLE),
    "es_nif": row("es.nif", make_nie, tuple(LETTERS)),
    "it_cf": row("it.codicefiscale", make_cf, tuple(LETTERS)),
    "pl_pesel": row("pl.pesel", lambda draw: date(draw, "ymd") + digits(draw, 4)),
    "de_steuerid": row("de.idnr", make_idnr),
    "cn_id": row("cn.ric", make_ric, (*DIGITS, "X")),
    "kr_rrn": row("kr.rrn", lambda draw: date(draw, "ymd") + digits(draw, 6)),
    "fi_hetu": row("fi.hetu", make_hetu, tuple(DIGITS + LETTERS)),
    "se_pnr": row("se.personnummer", lambda draw: date(draw, "ymd") + "-" + digits(draw, 3)),
}


def make_valid(judge: Row, draw: Draw) -> str:
    while True:
        body = judge.make(draw)
        for check in judge.checks:
            if judge.is_valid(body + check):
                return body + check


def change(judge: Row, number: str, draw: Draw) -> str:
    places = [at for at, one in enumerate(number) if one in DIGITS and at >= judge.changes_from]
    at = draw.choice(places)
    other = draw.choice([one for one in DIGITS if one != number[at]])
    return number[:at] + other + number[at + 1 :]


def main(given: dict[str, int]) -> None:
    for detector, judge in ROWS.items():
        draw = random.Random(f"{detector} {given['seed']}")
        for _ in range(given["count"]):
            valid = make_valid(judge, draw)
            for number in (valid, change(judge, valid, draw)):
                line = {"detector": detector, "number": number, "isValid": judge.is_valid(number)}
                print(json.dumps(line))


if sys.argv[1] == "--list":
    print(json.dumps(list(ROWS)))
elif sys.argv[1] == "--ibans":
    print(json.dumps(iban_lengths()))
else:
    main(json.loads(sys.argv[1]))
