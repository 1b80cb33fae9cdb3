import { answerPrompts } from '../agents/index.js';
import { isCatalogueAddress, tellWhileWaiting } from '../core/index.js';
import { type FollowedSearch, type FollowOptions, followCatalogue, type ReloadEvent } from '../search/index.js';

// Not from the library's entry: a client waits for the first answer, and the entry imports more.

/** How often a catalogue that could not be opened is tried again when nobody asks, in milliseconds. */
const RETRY_INTERVAL = 2000;

export interface McpCatalogueOptions
  extends Pick<FollowOptions, 'database' | 'cache' | 'passwordFile' | 'model' | 'stopWords' | 'gloss'> {
  /** Whether the model may be used. */
  readonly meaning: boolean;
  /** Called when another revision of the catalogue answers, or the first one after a failure. */
  readonly onChange: () => void;
  readonly onReload: (event: ReloadEvent) => void;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, facts?: Readonly<Record<string, unknown>>) => void;
}

/** A catalogue that is followed, and that may be missing or damaged at first. */
export interface McpCatalogue {
  /** The search over the newest revision. Tries again where the catalogue could not be opened. */
  readonly search: () => Promise<FollowedSearch>;
  close(): Promise<void>;
}

/**
 * Opens a catalogue for `mcp`, and answers the hooks of its user from it. Each call of `search` tries again, and so does
 * a timer, until it can be opened. From then on it is followed.
 */
export function openMcpCatalogue({ onReload: reported, ...options }: McpCatalogueOptions): McpCatalogue {
  const { meaning, onChange, log, ...opening } = options;
  const { database } = opening;
  let opened: FollowedSearch | undefined;
  let attempt: Promise<FollowedSearch> | undefined;
  let failure: string | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  const onReload = (event: ReloadEvent): void => {
    reported(event);
    if (event.kind === 'reloaded') onChange();
  };
  const open = async (): Promise<FollowedSearch> => {
    try {
      const following = followCatalogue({ ...opening, sharedModel: true, onReload });
      opened = await tellWhileWaiting(database, (line) => log('info', line), following);
      clearInterval(retry);
      if (failure !== undefined) onChange();
      return opened;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== failure) log('warn', 'the catalogue cannot be opened', { reason });
      failure = reason;
      if (!isClosed) retry ??= setInterval(() => void search().catch(() => {}), RETRY_INTERVAL).unref();
      throw error;
    } finally {
      attempt = undefined;
    }
  };
  // Calls that come together share an attempt.
  const search = async (): Promise<FollowedSearch> => {
    if (opened !== undefined) return opened;
    attempt ??= open();
    return attempt;
  };
  // A hook names the catalogue by the path of its file. It is answered after the catalogue is open: the client waits.
  const prompts = search()
    .catch(() => {})
    .then(() => (isCatalogueAddress(database) ? undefined : answerPrompts(database, search, meaning)));
  return {
    search,
    async close() {
      isClosed = true;
      clearInterval(retry);
      await (await prompts)?.close();
      await attempt?.catch(() => {});
      await opened?.close();
    },
  };
}
