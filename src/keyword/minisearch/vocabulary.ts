import SearchableMap from 'minisearch/SearchableMap';
import { appendTo, foldAccents, isUnspacedTerm, stemOf } from '../../core/index.js';
import { editDistance } from '../steps/edit-distance.js';
import type { Lookup } from '../steps/lookup.js';

/**
 * All terms of a catalogue, found by stem, by beginning and by edits. Terms keep their accents; lookups ignore them.
 */
export class Vocabulary {
  readonly #terms = new Set<string>();
  readonly #byStem = new Map<string, string[]>();
  /** By form without accents, the terms of scripts with spaces. A radix tree with fuzzy lookup. */
  readonly #byForm = new SearchableMap<string[]>();
  readonly #byFirstCharacter = new Map<string, string[]>();

  add(term: string): void {
    if (this.#terms.has(term)) return;
    this.#terms.add(term);
    appendTo(this.#byStem, stemOf(term), term);
    const form = foldAccents(term);
    if (isUnspacedTerm(term)) {
      appendTo(this.#byFirstCharacter, String.fromCodePoint(form.codePointAt(0)!), term);
    } else appendTo(this.#byForm, form, term);
  }

  /** The terms that answer a lookup, each once. */
  find(lookup: Lookup): readonly string[] {
    switch (lookup.kind) {
      case 'stem':
        return this.#byStem.get(stemOf(lookup.term)) ?? [];
      case 'character':
        return this.#byFirstCharacter.get(foldAccents(lookup.term)) ?? [];
      case 'prefix':
        return [...this.#byForm.atPrefix(foldAccents(lookup.term)).values()].flat();
      case 'edits':
        return this.#withinEdits(foldAccents(lookup.term), lookup.edits);
    }
  }

  #withinEdits(form: string, edits: number): string[] {
    const found = new Set<string>();
    for (const candidate of this.#candidates(form, edits)) {
      if (editDistance(form, candidate, edits) > edits) continue;
      for (const term of this.#byStem.get(stemOf(candidate)) ?? []) found.add(term);
    }
    return [...found];
  }

  /**
   * A superset of the forms within some edits. The radix tree knows no swaps, so swapped forms are looked up as well.
   */
  *#candidates(form: string, edits: number): Generator<string> {
    for (const [candidate] of this.#byForm.fuzzyGet(form, edits)) yield candidate;
    for (const swapped of neighbourSwaps(form)) {
      if (edits > 1) yield* this.#candidates(swapped, edits - 1);
      else if (this.#byForm.has(swapped)) yield swapped;
    }
  }
}

function* neighbourSwaps(form: string): Generator<string> {
  for (let i = 1; i < form.length; i++) {
    if (form[i] === form[i - 1]) continue;
    yield form.slice(0, i - 1) + form[i] + form[i - 1] + form.slice(i + 1);
  }
}
