/** What only the checks for deprecated APIs ask about: who wrote it in which API version, and nothing of its content. */
import { STORED_TYPES } from '../../../tables/stored-types.ts';
import type { AllowedList } from './types.ts';

/** Of the types of the deprecation guide, those that no other list holds. */
export const storedBeside = (others: readonly AllowedList[]): AllowedList[] =>
  STORED_TYPES.map(({ group, version, plural }) => ({ apiVersion: `${group}/${version}`, plural }))
    .filter((type) => !others.some(({ apiVersion, plural }) => apiVersion === type.apiVersion && plural === type.plural))
    .map((type) => ({ ...type, writers: true, groups: [] }));
