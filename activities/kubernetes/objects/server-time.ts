/** The API server's clock: times in objects, budgets and schedules are its own, and this machine's may differ. */
import type { KubernetesPort } from '../../contract/ports.ts';

/** Milliseconds, by its newest answer; this machine's own as long as there was none. */
export const nowOf = (port: Pick<KubernetesPort, 'serverDate'>): number => Date.parse(port.serverDate() ?? new Date().toISOString());
