import { describe, expect, test } from 'vitest';
import { html, raw } from '../../../../src/http/pages/html.js';

describe('a template', () => {
  test('escapes every text, in elements and in attributes', () => {
    const text = `"><script>'&`;
    const escaped = '&quot;&gt;&lt;script&gt;&#39;&amp;';
    expect(html`<a href="${text}">${text}</a>`.text).toBe(`<a href="${escaped}">${escaped}</a>`);
  });

  test('holds templates in templates, and lists of them, as they are', () => {
    expect(html`<ul>${['<', html`<b>${'&'}</b>`, [html`<i></i>`]]}</ul>`.text).toBe('<ul>&lt;<b>&amp;</b><i></i></ul>');
  });

  test('shows numbers, and nothing for what is not there', () => {
    expect(html`${0}${undefined}${null}${false}${''}`.text).toBe('0');
  });

  test('trusts only what is said to be HTML, not what looks like it', () => {
    expect(() => html`${{ text: '<b>' } as never}`).toThrow(TypeError);
    expect(html`${raw('<b>')}`.text).toBe('<b>');
  });
});
