import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml } from '../../../../src/http/pages/html.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

test('each special character becomes its entity, and no other character changes', () => {
  const text = fc.string({ unit: fc.oneof(fc.constantFrom(...Object.keys(ENTITIES), 'a', '語'), fc.string()) });
  fc.assert(
    fc.property(text, (text) => {
      expect(escapeHtml(text)).toBe([...text].map((character) => ENTITIES[character] ?? character).join(''));
    }),
  );
});
