import { jobInThread } from '../../../src/core/index.js';

/** What {@link runJob} is tested with. */
export interface ExampleJob {
  readonly task: 'double' | 'fail' | 'exit' | 'crash' | 'wait';
  readonly numbers?: Uint32Array;
}

await jobInThread<ExampleJob, Uint32Array>(
  async (job) => {
    const { task, numbers = new Uint32Array() } = job.data;
    if (task === 'fail') throw new RangeError('no such number');
    if (task === 'exit') process.exit(0);
    if (task === 'crash') {
      setTimeout(() => {
        throw new Error('crashed');
      });
    }
    for (const done of numbers.keys()) job.progress(done + 1, numbers.length);
    for (;;) {
      if (task === 'double') return numbers.map((number) => number * 2);
      job.progress(0, 0);
      await new Promise((resolve) => setTimeout(resolve, 5));
      job.throwIfStopped();
    }
  },
  ({ buffer }) => [buffer as ArrayBuffer],
);
