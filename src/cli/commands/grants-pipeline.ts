/** The grants pipeline as a person meets it, in the order in which money goes through it. */
import type { Command } from '../command.ts';
import { addGrantsAmendments } from './grants-amend.ts';
import { addGrantsExceptions } from './grants-exceptions.ts';
import { addGrantsFiled } from './grants-filed.ts';
import { addGrantsFetch } from './grants-fetch.ts';
import { addGrantsIntake } from './grants-intake.ts';
import { addGrantsClose } from './grants-close.ts';
import { addGrantsLists } from './grants-lists.ts';
import { addGrantsReconciliation } from './grants-reconcile.ts';
import { addGrantsResolve } from './grants-resolve.ts';
import { addGrantsRules } from './grants-rules.ts';
import { addGrantsStatements } from './grants-statements.ts';
import { addGrantsVerification } from './grants-verify.ts';

export function addGrantsPipelineCommands(grants: Command): void {
  addGrantsIntake(grants);
  addGrantsFetch(grants);
  addGrantsReconciliation(grants);
  addGrantsLists(grants);
  addGrantsClose(grants);
  addGrantsResolve(grants);
  addGrantsStatements(grants);
  addGrantsVerification(grants);
  addGrantsRules(grants);
  addGrantsFiled(grants);
  addGrantsExceptions(grants);
  addGrantsAmendments(grants);
}
