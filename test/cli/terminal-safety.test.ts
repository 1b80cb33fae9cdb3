import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';

/** What moves the cursor, changes colours, sets titles, or reorders a line. */
const ATTACKS: Record<string, string> = {
  'a colour': '\u001b[31m',
  'a cleared screen': '\u001b[2J\u001b[1;1H',
  'a title': '\u001b]0;owned\u0007',
  'a link': '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
  'an escape of one byte': '\u009b31m',
  'a backspace': 'x\b\b\b',
  'a carriage return': '\rforged line',
  'a line feed': '\nforged line',
  'other line ends': '\u0085forged\u2028forged\u2029forged\vforged\fforged',
  'a bidirectional override': '\u202egnp.exe\u202c',
  'a bidirectional isolate': '\u2066x\u2069\u2067y\u2069',
  'a bidirectional mark': '\u200e\u200f\u061c',
  'a delete': '\u007f',
};

/** Everything but line feeds that a terminal would act on. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/;

describe.each(Object.entries(ATTACKS))('%s in a catalogue', (_, attack) => {
  const id = `id-${attack}`;

  async function hostileCatalogue(): Promise<string> {
    const database = scratchFile('skills.db');
    const text = `alpha ${attack} omega`;
    const hostile = {
      ...row(id, { name: text, author: text, description: text, categories: [text], codehostUrl: `https://x/${text}` }),
      license: text,
      compatibility: text,
      'allowed-tools': text,
      files: [
        { filename: 'SKILL.md', text: `needle ${text}` },
        { filename: `r${attack}.md`, text: `pin ${text}` },
      ],
    };
    await buildCatalogue({ semantic: false, database, sources: [[hostile]] });
    return database;
  }

  test('is not printed by search', async () => {
    const database = await hostileCatalogue();
    for (const q of ['alpha', 'needle', 'pin', 'omega']) {
      const { status, out, error } = await runCaptured(['search', q, '--explain', '--database', database]);
      expect([status, error]).toEqual([0, '']);
      expect(out).toContain('1 skill');
      expect(out).not.toMatch(UNSAFE);
      expect(linesOf(out).filter((line) => line.startsWith('forged'))).toEqual([]);
    }
  });

  test('is not printed by show', async () => {
    const database = await hostileCatalogue();
    const [stored] = JSON.parse((await runCaptured(['search', 'alpha', '--json', '--database', database])).out).hits;
    const { status, out, error } = await runCaptured(['show', stored.skill.id, '--database', database]);

    expect([status, error]).toEqual([0, '']);
    expect(out).not.toMatch(UNSAFE);
  });

  test('is data in JSON, written so that a terminal does not act on it', async () => {
    const database = await hostileCatalogue();
    const { out } = await runCaptured(['search', 'alpha', '--json', '--database', database]);

    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    const [hit] = JSON.parse(out).hits;
    expect(hit.skill.description).toBe(`alpha ${attack} omega`);
  });
});
