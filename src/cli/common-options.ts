import { InvalidArgumentError, Option } from 'commander';

export function databaseOption(description = 'the catalogue'): Option {
  return new Option('--database <file>', description).default('skills.db');
}

export function modelOption(): Option {
  return new Option('--model <folder>', 'folder of the model that makes vectors, instead of the one included');
}

export function jsonOption(): Option {
  return new Option('--json', 'print the result as JSON');
}

/** Parses a decimal number: digits, and optionally a point with digits. */
export function parseDecimal(value: string): number {
  if (!/^(\d+(\.\d+)?|\.\d+)$/.test(value)) throw new InvalidArgumentError('It must be a decimal number.');
  return Number(value);
}

/** Parses an integer of decimal digits. */
export function parseInteger(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

/** Parses an option that may be repeated: one of some choices, each kept once. */
export function collectChoices<Choice extends string>(choices: readonly Choice[]) {
  return (value: string, previous: readonly Choice[] = []): Choice[] => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return previous.includes(choice) ? [...previous] : [...previous, choice];
  };
}

/** Parses a path. One that is empty, as an unset variable is, would be the working folder. */
export function parsePath(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must be a path.');
  return value;
}

/** Parses names with commas or blanks between, each kept once. */
export function parseNames(value: string): readonly string[] {
  const names = [...new Set(value.split(/[\s,]+/).filter((name) => name !== ''))];
  if (names.length === 0) throw new InvalidArgumentError('It must be names with commas between.');
  return names;
}
