/** The progress of some jobs that run at once, as the progress of one. */
export class SumOfProgress {
  readonly #report: (done: number, total: number) => void;
  readonly #done: (number | undefined)[];
  readonly #totals: number[];

  /**
   * @param jobs number of jobs
   * @param report called with the sums, as soon as each job has told its total
   */
  constructor(jobs: number, report: (done: number, total: number) => void) {
    this.#report = report;
    this.#done = Array.from({ length: jobs });
    this.#totals = new Array(jobs).fill(0);
  }

  /** @param job number of the job, from 0 */
  set(job: number, done: number, total: number): void {
    this.#done[job] = done;
    this.#totals[job] = total;
    let [sum, sumOfTotals] = [0, 0];
    for (const [i, part] of this.#done.entries()) {
      if (part === undefined) return;
      sum += part;
      sumOfTotals += this.#totals[i]!;
    }
    this.#report(sum, sumOfTotals);
  }
}
