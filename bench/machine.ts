import { cpus, totalmem } from 'node:os';

/** What figures were measured on, in a line. */
export function machineName(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${memory} GiB, Node ${process.version}`;
}
