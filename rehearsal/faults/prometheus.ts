/** Faults of Prometheus' queries, for its stand-in. */
import type { Response } from 'express';
import type { FaultBoard } from './board.ts';

/** True: nobody must answer any more. */
export function sufferPrometheus(faults: FaultBoard, response: Response): boolean {
  const fate = faults.meet({ api: 'prometheus', operation: 'query', resource: '', mutates: false });
  if (fate?.kind === 'refuse') response.status(fate.status).send(fate.message);
  else if (fate?.kind === 'empty') response.json({ status: 'success', data: { resultType: 'vector', result: [] } });
  return fate !== undefined;
}
