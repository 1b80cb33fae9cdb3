/** What became of the requests of one client with a quota. */
interface QuotaCount {
  /** Requests that the quota allows. */
  readonly limit: number;
  answered: number;
  refused: number;
  /** Requests that may have been counted, and that nobody got an answer to: lost with a server, or 503. */
  unknown: number;
}

/** Who asks a request: what it sends, and where what becomes of it is counted. */
export interface QuotaClient extends QuotaCount {
  readonly headers: Readonly<Record<string, string>>;
}

/** How the quotas of a run were kept. */
export interface QuotaFigures {
  /** Clients that were refused in the end, so that their quota was used up. */
  readonly usedUp: number;
  /** Of these, those with exactly as many answers as their quota allows. */
  readonly exact: number;
  /** Answers that are missing to exactness, over all of them; each of them lost with a killed process. */
  readonly missing: number;
  readonly unknown: number;
}

/** Refusals after which a client counts as used up, and the next one asks. */
const ENOUGH_REFUSALS = 100;

/**
 * Clients with a quota, used up one after the other. A client is never answered more often than its quota allows. It is
 * answered as often as that, less at most the requests whose answers did not arrive.
 */
export class QuotaLedger {
  readonly #next: () => QuotaClient | undefined;
  readonly #clients: QuotaClient[] = [];

  /** @param next makes another client; undefined if there is no more */
  constructor(next: () => QuotaClient | undefined) {
    this.#next = next;
  }

  /** The client whose turn it is; undefined if all are used up. */
  client(): QuotaClient | undefined {
    const last = this.#clients.at(-1);
    if (last !== undefined && last.refused < ENOUGH_REFUSALS) return last;
    const next = this.#next();
    if (next !== undefined) this.#clients.push(next);
    return next;
  }

  /** To be asked when all requests have ended. */
  figures(): QuotaFigures {
    const usedUp = this.#clients.filter(({ refused }) => refused > 0);
    const missing = usedUp.map(({ limit, answered }) => Math.max(0, limit - answered));
    return {
      usedUp: usedUp.length,
      exact: missing.filter((count) => count === 0).length,
      missing: missing.reduce((sum, count) => sum + count, 0),
      unknown: usedUp.reduce((sum, { unknown }) => sum + unknown, 0),
    };
  }

  /** What is wrong with the counts, in sentences. */
  faults(): readonly string[] {
    return this.#clients.flatMap(({ limit, answered, refused, unknown }, i) => {
      if (answered > limit) return [`client ${i} of a quota of ${limit} was answered ${answered} times`];
      if (refused === 0 || answered + unknown >= limit) return [];
      return [
        `client ${i} of a quota of ${limit} was refused after ${answered} answers, with ${unknown} whose answers were lost`,
      ];
    });
  }
}
