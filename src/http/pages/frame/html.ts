import { escapeHtml } from './escape-html.js';

/** Text that is HTML. Only {@link html} and {@link raw} make it, so whatever is not `Html` is escaped. */
export class Html {
  readonly text: string;

  /** Use {@link html} instead: this trusts the text. */
  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What a template may hold. Nothing is shown for `undefined`, `null` and `false`; lists are joined. */
export type Part = Html | string | number | undefined | null | false | readonly Part[];

/**
 * A template of HTML: every text in it is escaped, for elements and for attributes in double quotes alike.
 *
 * @example
 * html`<a href="${link}">${['a < b', html`<b>c</b>`]}</a>`.text; // …>a &lt; b<b>c</b></a>
 */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = pieces[0]!;
  for (let i = 0; i < parts.length; i++) text += textOf(parts[i]) + pieces[i + 1]!;
  return new Html(text);
}

/** HTML that our own code made. Never call it with text of a catalogue or of a request. */
export function raw(text: string): Html {
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escapeHtml(String(part));
}
