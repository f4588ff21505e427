import type { DependencyFacts, Facts } from './facts.js';
import type { Finding, RuleText, Severity } from './finding.js';

/** A rule: its text, and what it finds. */
export interface Rule extends RuleText {
  readonly find: (facts: Facts) => readonly Finding[];
}

interface Found {
  readonly message: string;
  readonly fix: string;
  readonly arithmetic?: string;
  /** Where it is less than the rule's. */
  readonly severity?: Severity;
}

/** `option` is a path within the dependency: `attempt.timeout`. */
export type FoundInDependency = Found & { readonly option: string };
/** `path` starts at the configuration's root, or names a path of the graph. */
export type FoundInService = Found & { readonly path: string };

/** A rule about one dependency at a time. */
export function dependencyRule(
  text: RuleText,
  find: (dependency: DependencyFacts, facts: Facts) => FoundInDependency | undefined,
): Rule {
  return {
    ...text,
    find: (facts) =>
      facts.dependencies.flatMap((dependency) => {
        const found = find(dependency, facts);
        if (found === undefined) return [];
        const { option, ...rest } = found;
        const path = dependency.written.where(option);
        return [finding(text, { ...rest, path }, dependency.name)];
      }),
  };
}

/** A rule about the service as a whole, its inbound side or its place in the graph. */
export function serviceRule(text: RuleText, find: (facts: Facts) => readonly FoundInService[]): Rule {
  return { ...text, find: (facts) => find(facts).map((found) => finding(text, found)) };
}

function finding({ id, severity }: RuleText, found: FoundInService, dependency?: string): Finding {
  return {
    id,
    severity: found.severity ?? severity,
    path: found.path,
    ...(dependency === undefined ? {} : { dependency }),
    message: found.message,
    fix: found.fix,
    ...(found.arithmetic === undefined ? {} : { arithmetic: found.arithmetic }),
  };
}
