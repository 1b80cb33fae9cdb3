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

/** An option that takes a decimal number: digits, and a point with digits behind it. */
export function parseDecimal(value: string): number {
  if (!/^(\d+(\.\d+)?|\.\d+)$/.test(value)) throw new InvalidArgumentError('It must be a decimal number.');
  return Number(value);
}

/** An option that takes decimal digits only. */
export function parseInteger(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
