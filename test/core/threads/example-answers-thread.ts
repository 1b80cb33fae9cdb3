import { parentPort } from 'node:worker_threads';

/** What {@link RequestQueue} is tested with: `end` ends the thread, `fail` makes it fail. */
parentPort?.on('message', (request: string) => {
  if (request === 'end') process.exit(0);
  if (request === 'fail') throw new Error('failed');
  parentPort?.postMessage(`${request}!`);
});
