import { Agent, request } from 'node:http';

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** One connection of a client, which is kept open between requests. */
export class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /**
   * @param timeout milliseconds without anything from the server
   * @throws Error if the connection is refused, or ends before the answer does
   */
  ask(port: number, path: string, headers: Readonly<Record<string, string>>, timeout: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, headers, agent: this.#agent, timeout };
      const asking = request(options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          if (!answer.complete) return reject(new Error('the answer ended early'));
          const { statusCode: status = 0, headers: got } = answer;
          resolve({ status, retryAfter: got['retry-after'], body: Buffer.concat(chunks).toString('utf8') });
        });
      });
      asking.on('timeout', () => asking.destroy(new Error(`nothing came for ${timeout / 1000} s`)));
      asking.on('error', reject);
      asking.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
