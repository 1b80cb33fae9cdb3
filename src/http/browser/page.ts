/**
 * The script of the pages. All of it is in this file, so that a page loads one script. Without it everything works by
 * links and a form; it makes the search page answer while somebody types.
 */

/** What `GET /page/search` answers; see `answerPageSearch` of the server. Its HTML was made safe there. */
interface PageAnswer {
  readonly title: string;
  readonly summary: string;
  readonly answer: string;
  readonly facets: string;
  readonly suggestions: readonly string[];
}

/** Milliseconds without a key, after which it is asked: keys that come faster are one question. */
const PAUSE = 200;
/** Milliseconds after an answer, after which it is read out to those who cannot see it. */
const READ_OUT = 700;
/** Milliseconds that a button says that it has copied. */
const SHOWN_FOR = 2000;
const KEPT_ANSWERS = 30;
const NO_ANSWER = 'The server did not answer as it should. Please try again.';

/** The parameters of a form's fields: without empty ones and defaults, as the links of the server have them. */
export function parametersOf(fields: Iterable<readonly [string, unknown]>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of fields) {
    const text = String(value).trim();
    const isDefault = (name === 'mode' && text === 'both') || (name === 'sortBy' && text === 'relevance');
    // A blank says that the word before it is done.
    const end = name === 'q' && /\s$/.test(String(value)) ? ' ' : '';
    if (text !== '' && !isDefault) parameters.set(name, text + end);
  }
  return parameters;
}

/** Which of so many is next; -1 stands for none of them, the box itself. */
export function stepIn(count: number, at: number, by: number): number {
  return Math.max(-1, Math.min(count - 1, at + by));
}

/** The elements of the search page. */
interface Parts extends Readonly<Record<'list' | 'answer' | 'facets' | 'status' | 'notice', HTMLElement>> {
  readonly form: HTMLFormElement;
  readonly box: HTMLInputElement;
}

class SearchPage {
  readonly #parts: Parts;
  readonly #route: string;
  readonly #name: string;
  /** Answers by their parameters, so that going back asks nothing. */
  readonly #answers = new Map<string, PageAnswer>();
  #asking: AbortController | undefined;
  #typing = 0;
  #waiting = 0;
  #reading = 0;
  /** Whether the present entry of the history is a question that is still being typed. */
  #isDraft = false;
  #chosen = -1;
  /** The question as it was typed, while a suggestion stands in the box. */
  #typed = '';
  /** Suggestions are for whoever types; not for whoever came by a link. */
  #offers = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#route = parts.form.dataset['search'] ?? '/page/search';
    this.#name = document.title.split(' · ').at(-1) ?? document.title;
    this.#listen();
  }

  #listen(): void {
    const { form, box, list } = this.#parts;
    box.setAttribute('role', 'combobox');
    box.setAttribute('aria-autocomplete', 'list');
    box.setAttribute('aria-expanded', 'false');
    box.setAttribute('aria-controls', list.id);
    // Syllables that are still put together are no question yet.
    box.addEventListener('input', (event) => {
      if (!(event as InputEvent).isComposing) this.#onType();
    });
    box.addEventListener('compositionend', () => this.#onType());
    box.addEventListener('keydown', (event) => this.#onBoxKey(event));
    box.addEventListener('blur', () => this.#hideSuggestions());
    // Before the box loses the focus, which would hide what is clicked.
    list.addEventListener('pointerdown', (event) => event.preventDefault());
    list.addEventListener('click', (event) => {
      const option = (event.target as Element).closest('[role=option]');
      if (option !== null) this.#ask(option.textContent ?? '');
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#hideSuggestions();
      this.#go(this.#parameters());
    });
    for (const field of form.elements) {
      if (field === box || !(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
      field.addEventListener('change', () => this.#go(this.#parameters()));
    }
    document.addEventListener('click', (event) => this.#onClick(event));
    document.addEventListener('keydown', (event) => this.#onKey(event));
    addEventListener('popstate', () => this.#onPopState());
  }

  #parameters(): URLSearchParams {
    return parametersOf([...new FormData(this.#parts.form)]);
  }

  #onType(): void {
    const parameters = this.#parameters();
    this.#offers = true;
    this.#setEntry(parameters, this.#isDraft);
    this.#isDraft = true;
    this.#cancel();
    this.#typing = setTimeout(() => void this.#show(parameters), PAUSE);
  }

  /** Ends what is under way: timers and requests. */
  #cancel(): void {
    clearTimeout(this.#typing);
    clearTimeout(this.#waiting);
    this.#asking?.abort();
  }

  /** Asks for a complete question, as an entry of its own in the history. */
  #go(parameters: URLSearchParams): void {
    this.#cancel();
    this.#offers = false;
    this.#setEntry(parameters, this.#isDraft);
    this.#isDraft = false;
    void this.#show(parameters);
  }

  #ask(question: string): void {
    const { box } = this.#parts;
    box.value = question;
    this.#hideSuggestions();
    box.focus();
    this.#go(this.#parameters());
  }

  #setEntry(parameters: URLSearchParams, isSame: boolean): void {
    const query = parameters.toString();
    const url = query === '' ? location.pathname : `?${query}`;
    if (isSame || `?${query}` === (location.search || '?')) {
      history.replaceState(history.state, '', url);
      return;
    }
    history.replaceState({ top: scrollY }, '');
    history.pushState(null, '', url);
  }

  #onPopState(): void {
    const parameters = new URLSearchParams(location.search);
    const top = (history.state as { top?: number } | null)?.top ?? 0;
    this.#cancel();
    this.#isDraft = false;
    this.#offers = false;
    this.#fill(parameters);
    void this.#show(parameters).then(() => scrollTo(0, top));
  }

  /** Fills in the form by the parameters of a link. */
  #fill(parameters: URLSearchParams): void {
    for (const field of this.#parts.form.elements) {
      if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) || field.name === '') continue;
      const usual = field.name === 'mode' ? 'both' : field.name === 'sortBy' ? 'relevance' : '';
      const value = parameters.get(field.name) ?? usual;
      if (field instanceof HTMLInputElement && field.type === 'radio') field.checked = field.value === value;
      else field.value = value;
    }
  }

  async #show(parameters: URLSearchParams): Promise<void> {
    const key = parameters.toString();
    const known = this.#answers.get(key);
    if (known !== undefined) {
      this.#put(known);
      return;
    }
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    document.documentElement.classList.add('asking');
    try {
      const response = await fetch(`${this.#route}?${key}`, { signal: asking.signal });
      const body = await response.json();
      if (asking.signal.aborted) return;
      if (response.status === 429) this.#waitFor(parameters, Number(response.headers.get('Retry-After') ?? 60));
      else if (!response.ok) this.#tell((body as { error?: { message?: string } }).error?.message ?? NO_ANSWER);
      else this.#take(key, body as PageAnswer);
    } catch (error) {
      // What is no JSON is from a server between the page and its own.
      if (!asking.signal.aborted)
        this.#tell(error instanceof SyntaxError ? NO_ANSWER : 'The server cannot be reached just now.');
    } finally {
      if (this.#asking === asking) {
        this.#asking = undefined;
        document.documentElement.classList.remove('asking');
      }
    }
  }

  #take(key: string, answer: PageAnswer): void {
    this.#put(answer);
    this.#answers.set(key, answer);
    const [oldest = key] = this.#answers.keys();
    if (this.#answers.size > KEPT_ANSWERS) this.#answers.delete(oldest);
  }

  #put({ title, summary, answer, facets, suggestions }: PageAnswer): void {
    const parts = this.#parts;
    parts.notice.hidden = true;
    document.title = title === '' ? this.#name : `${title} · ${this.#name}`;
    const focused = hits().indexOf(document.activeElement as HTMLAnchorElement);
    const link = focused === -1 ? undefined : (document.activeElement as HTMLAnchorElement).href;
    const facet = parts.facets.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).textContent
      : null;
    if (parts.answer.innerHTML !== answer) parts.answer.innerHTML = answer;
    // The usual order; lists have the newest first.
    document.querySelector('.order option')!.textContent = title === '' ? 'Newest' : 'Best';
    parts.facets.innerHTML = facets;
    if (link !== undefined) {
      // The same skill keeps the focus, wherever it is now.
      const all = hits();
      (all.find(({ href }) => href === link) ?? all[Math.min(focused, all.length - 1)] ?? parts.box).focus({
        preventScroll: true,
      });
    }
    if (facet !== null) {
      const same = [...parts.facets.querySelectorAll('a')].find(({ textContent }) => textContent === facet);
      (same ?? parts.box).focus({ preventScroll: true });
    }
    clearTimeout(this.#reading);
    this.#reading = setTimeout(() => {
      parts.status.textContent = summary;
    }, READ_OUT);
    this.#offer(suggestions);
  }

  #tell(message: string): void {
    const { notice } = this.#parts;
    // Said again, it would be read out again.
    if (notice.textContent !== message) notice.textContent = message;
    notice.hidden = false;
  }

  /** The limit of the minute is reached. It goes on by itself when the next minute begins. */
  #waitFor(parameters: URLSearchParams, seconds: number): void {
    this.#cancel();
    // Told once: who hears the page would hear each second of a countdown.
    this.#tell(`Those were many questions within a minute. It goes on by itself in about ${seconds} s.`);
    this.#waiting = setTimeout(() => {
      this.#parts.notice.hidden = true;
      void this.#show(parameters);
    }, 1000 * seconds);
  }

  #onClick(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.shiftKey || hasModifier(event)) return;
    const link = (event.target as Element).closest('a');
    if (link === null || link.target !== '' || link.origin !== location.origin || link.pathname !== location.pathname)
      return;
    if (link.hash !== '' || link.closest('header, footer') !== null) return;
    event.preventDefault();
    const parameters = new URLSearchParams(link.search);
    const isPage = link.closest('.pages') !== null;
    this.#isDraft = false;
    this.#fill(parameters);
    this.#go(parameters);
    if (isPage) scrollTo(0, 0);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || hasModifier(event)) return;
    const { box } = this.#parts;
    const at = document.activeElement;
    if (event.key === '/' && !isTyping(at)) {
      event.preventDefault();
      box.focus();
      box.select();
      return;
    }
    const all = hits();
    const index = all.indexOf(at as HTMLAnchorElement);
    if (index === -1) return;
    if (event.key === 'Escape') box.focus();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = stepIn(all.length, index, event.key === 'ArrowDown' ? 1 : -1);
      (all[next] ?? box).focus();
    }
  }

  #onBoxKey(event: KeyboardEvent): void {
    const { box, list } = this.#parts;
    if (event.isComposing) return;
    const isOpen = !list.hidden;
    if (event.key === 'Escape') {
      // Otherwise the browser empties the box, too.
      event.preventDefault();
      if (isOpen) {
        this.#choose(-1);
        this.#hideSuggestions();
      } else if (box.value !== '') {
        box.value = '';
        this.#onType();
      }
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const by = event.key === 'ArrowDown' ? 1 : -1;
      if (isOpen && !(by === 1 && this.#chosen === list.children.length - 1)) {
        this.#choose(stepIn(list.children.length, this.#chosen, by));
      } else if (by === 1) {
        this.#hideSuggestions();
        hits()[0]?.focus();
      }
    } else if (event.key === 'Enter' && isOpen && this.#chosen !== -1) {
      event.preventDefault();
      this.#ask(box.value);
    }
  }

  #offer(suggestions: readonly string[]): void {
    const { box, list } = this.#parts;
    const shown = suggestions.filter((text) => text !== box.value.trim());
    if (!this.#offers || document.activeElement !== box || shown.length === 0) {
      this.#hideSuggestions();
      return;
    }
    // A suggestion that somebody is choosing stays where it is.
    if (this.#chosen !== -1) return;
    this.#typed = box.value;
    list.replaceChildren(
      ...shown.map((text, i) => {
        const option = document.createElement('li');
        option.id = `suggestion-${i}`;
        option.setAttribute('role', 'option');
        option.setAttribute('aria-selected', 'false');
        option.dir = 'auto';
        option.textContent = text;
        return option;
      }),
    );
    list.hidden = false;
    box.setAttribute('aria-expanded', 'true');
  }

  #choose(index: number): void {
    const { box, list } = this.#parts;
    this.#chosen = index;
    [...list.children].forEach((option, i) => {
      option.setAttribute('aria-selected', String(i === index));
    });
    const option = list.children[index];
    box.value = option?.textContent ?? this.#typed;
    if (option === undefined) box.removeAttribute('aria-activedescendant');
    else {
      box.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }

  #hideSuggestions(): void {
    const { box, list } = this.#parts;
    this.#chosen = -1;
    list.hidden = true;
    list.replaceChildren();
    box.setAttribute('aria-expanded', 'false');
    box.removeAttribute('aria-activedescendant');
  }
}

/** The links to the skills of the answer, in their order. */
function hits(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('.hit h3 a')];
}

function hasModifier({ ctrlKey, metaKey, altKey }: MouseEvent | KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

function isTyping(element: Element | null): boolean {
  return (
    element instanceof HTMLElement && (element.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(element.tagName))
  );
}

/** On pages without the search form, `/` leads to the box in the header. */
function listenForSlash(): void {
  const box = document.querySelector<HTMLInputElement>('.site-search input');
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || hasModifier(event) || isTyping(document.activeElement)) return;
    event.preventDefault();
    box?.focus();
  });
}

function start(): void {
  const byId = <Kind extends HTMLElement>(id: string): Kind | null => document.getElementById(id) as Kind | null;
  const [form, box, list] = [byId<HTMLFormElement>('search'), byId<HTMLInputElement>('q'), byId('suggestions')];
  const [answer, facets, status, notice] = [byId('answer'), byId('facets'), byId('status'), byId('notice')];
  const found = form && box && list && answer && facets && status && notice;
  if (found) new SearchPage({ form, box, list, answer, facets, status, notice });
  else listenForSlash();
}

/** Makes the buttons work that copy a piece of code. Without this script they are not seen. */
function startCopyButtons(): void {
  if (navigator.clipboard === undefined) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
    button.hidden = false;
    button.addEventListener('click', () => void copy(button));
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('.code')?.querySelector('pre code');
  try {
    await navigator.clipboard.writeText(code?.textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not copied';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_FOR);
}

// Tests import the functions without a document.
if (typeof document !== 'undefined') {
  start();
  startCopyButtons();
}
