export { userCatalogue } from '../../core/index.js';
export type { AgentPlan, EntryAction, PlannedEntry } from './agent-plan.js';
export { InitRecord } from './init-record.js';
export {
  type CataloguePlan,
  type Dialogue,
  type InitPlan,
  type InitResult,
  runInit,
} from './run-init.js';
export type { ShownEdit } from './shown-edit.js';
