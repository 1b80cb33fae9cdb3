import type { Command } from 'commander';
import type { Output } from './output.js';

/** Gives a command its arguments, options and action. */
export type SetUp = (command: Command, output: Output) => void;
