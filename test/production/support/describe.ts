/** Tests that need PostgreSQL: skipped where the package is missing, and failed under CI. */
import { describeWith } from '../../support/tools.ts';
import { findPostgreSql } from './postgresql.ts';

export const describeOnPostgreSql = (title: string, body: () => void): void =>
  describeWith({ found: findPostgreSql() !== undefined, install: 'no PostgreSQL here; install the package postgresql' }, title, body);
