import { type Html, html, raw } from '../frame/html.js';
import { codeHtml } from '../frame/safe-text.js';
import type { TextPart } from './text-parts.js';

/** A part of a text as it is written, with the numbers of its lines. Each line can be linked to: `#L12`. */
export function sourceView({ text, firstLine }: TextPart): Html {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  // The numbers are no part of the text: who copies it gets the text alone.
  return html`<pre class="source" dir="ltr" tabindex="0"><code>${lines.map((line, i) => {
    const number = firstLine + i;
    return html`<span class="line" id="L${number}" data-line="${number}">${raw(codeHtml(line))}
</span>`;
  })}</code></pre>`;
}
