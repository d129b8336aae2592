/** Faults of Prometheus' queries, for its stand-in. */
import type { Response } from 'express';
import type { FaultBoard } from './board.ts';

/** What is wrong in the cluster by its metrics; each query that sees it takes a strike. */
export function illnessSeen(faults: FaultBoard, query: string): { alert: boolean; slowApi: boolean } {
  const sees = (name: 'prometheus:alert' | 'prometheus:slow-api', metric: string): boolean =>
    query.includes(metric) && faults.takes(name) !== undefined;
  return {
    alert: sees('prometheus:alert', 'ALERTS'),
    slowApi: sees('prometheus:slow-api', 'apiserver_request_duration_seconds_bucket'),
  };
}

/** True: nobody must answer any more. */
export function sufferPrometheus(faults: FaultBoard, response: Response): boolean {
  const fate = faults.meet({ api: 'prometheus', operation: 'query', resource: '', mutates: false });
  if (fate?.kind === 'refuse') response.status(fate.status).send(fate.message);
  else if (fate?.kind === 'empty') response.json({ status: 'success', data: { resultType: 'vector', result: [] } });
  return fate !== undefined;
}
