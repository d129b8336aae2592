/** Faults of a world: what was asked for, as the rest of the twin sees it. */
export type { FaultOrder } from './faults/fault.ts';
export { FaultBoard, type FaultRecord, noFaults } from './faults/apis/board.ts';
