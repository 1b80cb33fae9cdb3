"""Convert between units of one kind: convert.py VALUE FROM TO"""
import sys

# Each unit as a multiple of the SI unit of its kind.
UNITS = {
    "length": {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0, "in": 0.0254, "ft": 0.3048},
    "mass": {"kg": 1.0, "g": 0.001, "mg": 1e-6, "lb": 0.45359237, "oz": 0.028349523125},
    "pressure": {"Pa": 1.0, "kPa": 1e3, "bar": 1e5, "atm": 101325.0, "psi": 6894.757293168},
    "energy": {"J": 1.0, "kJ": 1e3, "kWh": 3.6e6, "cal": 4.184, "kcal": 4184.0},
}


def convert(value, source, target):
    for table in UNITS.values():
        if source in table and target in table:
            return value * table[source] / table[target]
    raise ValueError(f"cannot convert {source} to {target}")


if __name__ == "__main__":
    amount, source, target = sys.argv[1:4]
    print(f"{convert(float(amount), source, target):.6g} {target}")
