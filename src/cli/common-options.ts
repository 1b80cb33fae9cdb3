import { InvalidArgumentError, Option } from 'commander';

export function databaseOption(): Option {
  return new Option('--database <file>', 'the catalogue').default('skills.db');
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
