import { InvalidArgumentError, Option } from 'commander';

export function databaseOption(): Option {
  return new Option('--database <file>', 'the catalogue').default('skills.db');
}

export function jsonOption(): Option {
  return new Option('--json', 'print the result as JSON');
}

/** An option that takes decimal digits only. */
export function parseInteger(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
