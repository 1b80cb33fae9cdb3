import type { DamagedSkill, SkillSearch } from '../../../index.js';

/** The answer to a request for a page. */
export interface PageAnswer {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The body as gzip, where it is kept. @default texts are compressed each time, bytes never */
  readonly gzip?: () => Promise<Uint8Array<ArrayBuffer>>;
}

/** What a page knows of its request. */
export interface PageRequest {
  readonly search: SkillSearch;
  /** The path, as sent. */
  readonly path: string;
  /** The query string, without the question mark. */
  readonly query: string;
  /** Origin and path of the service, without a slash at its end. */
  readonly publicUrl: string;
  /** The path of the public URL: what links inside the pages begin with. Without a slash at its end. */
  readonly base: string;
  /** Seconds that a question may wait for others; 0 for no limit. */
  readonly longestWait: number;
  /** The address by which installers get a skill from this service; undefined if it is not published. */
  readonly installAddress: (id: string) => Promise<string | undefined>;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal | undefined;
  /** Waits until it is the client's turn again: what was read meanwhile took time. */
  readonly turn: () => Promise<void>;
  /** Logs skills that the answer lacks. */
  readonly logDamaged: (damaged: readonly DamagedSkill[] | undefined) => void;
  /** Logs why a part of the page is missing. */
  readonly logFailure: (error: unknown) => void;
}

/** Makes a page; undefined if there is none at this path after all. */
export type PageRoute = (request: PageRequest) => PageAnswer | undefined | Promise<PageAnswer | undefined>;
