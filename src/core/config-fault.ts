/** Why a configuration is left as it is: it cannot be read, or what is in it is not what an agent writes. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault' as const;
  /** The line at fault, from 1, where one is. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** Why a configuration stays as it is. Whatever fails while one is read and edited keeps only that one from it. */
export function reasonOf(error: unknown): string {
  // Parsers call themselves for each level.
  if (error instanceof RangeError) return 'its values are nested too deeply';
  return error instanceof Error ? error.message : String(error);
}
