import { expect, test } from 'vitest';
import { readTrigrams } from '../../../src/core/text/latin-language.js';

test('The table of trigrams has 300 of each language, the most frequent first', () => {
  const { languages, starts, frequencies } = readTrigrams();
  // In the order that latin-language.ts numbers them.
  expect(languages).toEqual(['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'sv', 'tr']);
  const frequency = (trigram: string, language: string): number =>
    frequencies[starts.get(trigram)! + languages.indexOf(language)]!;
  for (const [i] of languages.entries()) {
    const known = frequencies.filter((value, at) => at % languages.length === i && value > 0);
    expect(known.length).toBe(300);
  }
  expect(frequency('the', 'en')).toBeGreaterThan(frequency('ing', 'en'));
  expect(frequency('sch', 'de')).toBeGreaterThan(0);
  expect(frequency('sch', 'es')).toBe(0);
});
