import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CopyOut } from '../../../src/share/postgres/postgres-session.js';

type Row = readonly (Buffer | null)[];

/** Rows as PostgreSQL writes them, by its documentation of COPY. */
function written(rows: readonly Row[], extension: Buffer): Buffer {
  const int16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
  const int32 = (value: number): Buffer => Buffer.concat([int16(value >> 16), int16(value)]);
  return Buffer.concat([
    Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
    int32(0),
    int32(extension.length),
    extension,
    ...rows.flatMap((row) => [
      int16(row.length),
      ...row.flatMap((value) => (value === null ? [int32(-1)] : [int32(value.length), value])),
    ]),
    int16(-1),
  ]);
}

/** @param cuts where a message ends */
function send(copy: CopyOut, bytes: Buffer, cuts: readonly number[]): void {
  const ends = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    const chunk = Buffer.from(bytes.subarray(start, end));
    copy.handleCopyData({ chunk });
    // The client uses the memory again.
    chunk.fill(0xee);
    start = end;
  }
  copy.handleCommandComplete();
  copy.handleReadyForQuery();
}

const value = fc.oneof(
  fc.constant(null),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

test('rows are read as they were written, wherever a message ends', async () => {
  const rows = fc.array(fc.array(value, { maxLength: 4 }), { maxLength: 6 });
  const extension = fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(rows, extension, fc.array(fc.nat(), { maxLength: 8 }), async (given, header, cuts) => {
      const copy = new CopyOut('SELECT');
      send(copy, written(given, header), cuts);
      expect(await copy.rows).toEqual(given);
    }),
  );
});

test('what ends early, or is something else, is refused', async () => {
  const whole = written([[Buffer.from('a')]], Buffer.alloc(0));
  for (const bytes of [Buffer.alloc(0), Buffer.from('a\tb\n'), whole.subarray(0, -1), whole.subarray(0, -3)]) {
    const copy = new CopyOut('SELECT');
    if (bytes.length > 0) copy.handleCopyData({ chunk: bytes });
    copy.handleReadyForQuery();
    await expect(copy.rows).rejects.toThrow('not in the binary format');
  }
});
