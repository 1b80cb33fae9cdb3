/** Bytes as SQL, for queries that can have no values. */
export function bytesArray(values: readonly Buffer[]): string {
  return `ARRAY[${values.map((value) => `decode('${value.toString('hex')}','hex')`).join()}]::bytea[]`;
}
