import type { Readable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Engine, McpOptions } from './engine.js';
import { LineTransport } from './line-transport.js';
import { createServerOver } from './server-over.js';
import type { Sdk } from './skills/load-sdk.js';

/** A connection on standard input and output. */
export interface StdioServer {
  /** Tells the client that other skills may be listed now. */
  catalogueChanged(): void;
  /** Fulfilled when the client has gone and the last request is answered. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface StdioOptions extends Pick<McpOptions, 'onUnpublished' | 'onError'> {
  readonly input: Readable;
  readonly output: NodeJS.WritableStream;
  /** Called when the first answer has been sent. */
  readonly onFirstAnswer?: (() => void) | undefined;
}

/** Serves one client on two streams, in the revision of the protocol that the client speaks. */
export function serveMcpOnStdio(sdk: Sdk, engine: Engine, options: StdioOptions): StdioServer {
  const { input, output, onFirstAnswer, onUnpublished, onError } = options;
  const servers = new Set<McpServer>();
  const transport = new LineTransport(input, output);
  transport.onFirstAnswer = onFirstAnswer;
  const handle = sdk.serveStdio(
    () => {
      const mcp = createServerOver(sdk, engine, onUnpublished);
      servers.add(mcp);
      return mcp;
    },
    { transport, onerror: (error) => onError?.(error) },
  );
  const served = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      served?.();
      resolve();
    };
  });
  return {
    catalogueChanged() {
      for (const mcp of servers) {
        if (mcp.isConnected()) mcp.sendResourceListChanged();
        else servers.delete(mcp);
      }
    },
    ended,
    close: () => handle.close(),
  };
}
