import { grouped } from './grouped.js';

/** A number and what is counted: `1 skill`, `1,024 skills`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
