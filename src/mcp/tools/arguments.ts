import { type JsonSchema, ToolFault } from './tool.js';

/** Characters of a wrong value that a message shows. */
const SHOWN = 60;

/** Reads the arguments of a call, and says what is wrong with one in words that a model can act on. */
export class Arguments {
  readonly #values: Readonly<Record<string, unknown>>;

  /** @throws {ToolFault} if there is an argument that the tool does not have */
  constructor(values: Readonly<Record<string, unknown>>, { properties }: JsonSchema) {
    this.#values = values;
    for (const name of Object.keys(values)) {
      if (Object.hasOwn(properties, name)) continue;
      throw new ToolFault(
        `There is no argument ${shown(name)}. The arguments are: ${Object.keys(properties).join(', ')}.`,
      );
    }
  }

  /** @throws {ToolFault} if it is missing or no text */
  text(name: string, example: string): string {
    const value = this.optionalText(name);
    if (value === undefined)
      throw new ToolFault(`The argument ${name} is missing. Give a text, for example ${example}.`);
    return value;
  }

  /** @throws {ToolFault} if it is there and no text */
  optionalText(name: string): string | undefined {
    const value = this.#values[name] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw wrong(name, 'a text', value);
  }

  /** @throws {ToolFault} if it is there and no integer of the range */
  integer(name: string, least: number, greatest: number): number | undefined {
    const value = this.#values[name] ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= greatest) return value;
    throw wrong(name, `an integer from ${least} to ${greatest}`, value);
  }

  /** @throws {ToolFault} if it is there and none of the choices */
  choice<Choice extends string | boolean>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.#values[name] ?? undefined;
    if (value === undefined) return undefined;
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw wrong(name, `one of ${choices.join(', ')}`, value);
    return choice;
  }
}

function wrong(name: string, expected: string, value: unknown): ToolFault {
  return new ToolFault(`The argument ${name} must be ${expected}, got ${shown(value)}. Correct it and call again.`);
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, SHOWN) : value);
  return typeof value === 'string' && value.length > SHOWN ? `${text} …` : text;
}
