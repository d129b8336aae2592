/** The fleet as JSON: `schemaVersion` is of its shape, which only grows. */
import type { FleetView } from '../../domain/run/fleet-view/view.ts';

export const renderFleetJson = (view: FleetView): string => JSON.stringify(view, null, 2);
