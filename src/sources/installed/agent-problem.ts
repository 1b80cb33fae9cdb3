/** Something in an agent's folders that could not be read, or was not followed. */
export interface AgentProblem {
  /** Absolute path. */
  readonly path: string;
  /** One line, for people. */
  readonly message: string;
  /** Whether skills may lie there that nobody can name now. */
  readonly hidesSkills?: true;
}
