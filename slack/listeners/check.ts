/** Buttons that do what a command does: of a readiness check (Check again, Plan the upgrade), of a report (Plan the way back), and of what can be undone. */
import type { App } from '@slack/bolt';
import type { Listener } from '../interaction/reply.ts';
import { type CheckValue, parseCheckValue, parseUndoValue } from '../blocks/kit/button-values.ts';
import { runCheck } from '../requests/check.ts';
import { runPlanning } from '../requests/plan-or-start.ts';
import { runRollback } from '../requests/rollback.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { onPress } from './on-press.ts';
import type { Actor } from '../../domain/gates/actor.ts';

type Press = (deps: SlackDeps, value: CheckValue, actor: Actor, listener: Listener) => Promise<void>;

const BUTTONS: Record<string, Press> = {
  'check/again': (deps, { cluster, target, run }, actor, listener) => runCheck(deps, { cluster, target, since: run }, actor, listener),
  'check/plan': (deps, { cluster, target }, actor, listener) => runPlanning(deps, { kind: 'plan', cluster, target }, actor, listener),
  'back/plan': (deps, { cluster }, actor, listener) => runRollback(deps, { kind: 'rollback', cluster, dryRun: false }, actor, listener),
};

export function registerCheckButtons(app: App, deps: SlackDeps): void {
  for (const [actionId, press] of Object.entries(BUTTONS))
    onPress(app, deps, { actionId, parse: parseCheckValue, act: (value, actor, listener) => press(deps, value, actor, listener) });
  onPress(app, deps, {
    actionId: 'undo/plan',
    parse: parseUndoValue,
    act: (value, actor, listener) => runRollback(deps, { kind: 'rollback', ...value, dryRun: false }, actor, listener),
  });
}
