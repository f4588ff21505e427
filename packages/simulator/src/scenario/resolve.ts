import { isSpillwayError, resolveConfig } from '@spillway/core';
import { issueAt, issuesOf, type ScenarioIssue, scenarioError } from './issues.js';
import type { ResolvedScenario, ResolvedService } from './resolved.js';
import { scenarioSchema } from './schema.js';

/**
 * Validates one scenario (a variant already merged) and fills in its defaults.
 * @throws ERR_CONFIG naming every wrong value by path, value and allowed range; `details.issues` lists them
 */
export function resolveScenario(scenario: unknown): ResolvedScenario {
  const parsed = scenarioSchema.safeParse(withoutVariants(scenario));
  if (!parsed.success) throw scenarioError(issuesOf(parsed.error.issues, scenario));
  const issues = [...configIssues(parsed.data), ...referenceIssues(parsed.data)];
  if (issues.length > 0) throw scenarioError(issues);
  return parsed.data;
}

function withoutVariants(scenario: unknown): unknown {
  if (typeof scenario !== 'object' || scenario === null || Array.isArray(scenario)) return scenario;
  const { variants, ...rest } = scenario as Record<string, unknown>;
  return rest;
}

/** What core says about the services' own configurations. */
function configIssues(scenario: ResolvedScenario): ScenarioIssue[] {
  return Object.entries(scenario.services).flatMap(([name, { spillway }]) => {
    if (spillway === undefined) return [];
    try {
      resolveConfig(spillway);
      return [];
    } catch (error) {
      if (!isSpillwayError(error, 'ERR_CONFIG')) throw error;
      return underPath(`services.${name}.spillway`, error.details);
    }
  });
}

function underPath(prefix: string, details: unknown): ScenarioIssue[] {
  const issues = (details as { issues?: readonly ScenarioIssue[] } | undefined)?.issues ?? [];
  return issues.map((issue) => ({
    ...issue,
    path: `${prefix}.${issue.path}`,
    message: `${prefix}.${issue.message}`,
  }));
}

/** Names that point nowhere, and calls that come back to where they started. */
function referenceIssues(scenario: ResolvedScenario): ScenarioIssue[] {
  const { services, traffic, focus } = scenario;
  const known = `the name of a service: ${Object.keys(services).join(', ')}`;
  const issues: ScenarioIssue[] = [];
  for (const [name, { to }] of Object.entries(traffic)) {
    if (services[to] === undefined) issues.push(issueAt(['traffic', name, 'to'], to, known));
  }
  for (const [name, service] of Object.entries(services)) {
    issues.push(...callIssues(name, service, services, known));
  }
  const dependencies = dependencyNames(services);
  if (focus !== undefined && !dependencies.includes(focus)) {
    issues.push(
      issueAt(['focus'], focus, `one of the dependencies that are called: ${dependencies.join(', ')}`),
    );
  }
  if (issues.length === 0) issues.push(...circleIssues(services));
  return issues;
}

function callIssues(
  name: string,
  service: ResolvedService,
  services: Readonly<Record<string, ResolvedService>>,
  known: string,
): ScenarioIssue[] {
  const configured = Object.keys(service.spillway?.dependencies ?? {});
  return service.calls.flatMap(({ to }, index) => {
    const path = ['services', name, 'calls', index, 'to'];
    if (services[to] === undefined) return [issueAt(path, to, known)];
    if (configured.includes(to)) return [];
    return [issueAt(path, to, `a name that services.${name}.spillway.dependencies has, or add it there`)];
  });
}

/** `shop.quotes`, for every call that is made. */
function dependencyNames(services: Readonly<Record<string, ResolvedService>>): string[] {
  const names = Object.entries(services).flatMap(([name, { calls }]) =>
    calls.map(({ to }) => `${name}.${to}`),
  );
  return [...new Set(names)];
}

function circleIssues(services: Readonly<Record<string, ResolvedService>>): ScenarioIssue[] {
  const done = new Set<string>();
  const trail: string[] = [];
  const enter = (name: string): ScenarioIssue[] => {
    if (trail.includes(name)) {
      const circle = [...trail.slice(trail.indexOf(name)), name].join(' -> ');
      return [
        issueAt(['services', name, 'calls'], circle, 'calls that do not come back to their own service'),
      ];
    }
    if (done.has(name)) return [];
    done.add(name);
    trail.push(name);
    const found = (services[name]?.calls ?? []).flatMap(({ to }) => enter(to));
    trail.pop();
    return found;
  };
  return Object.keys(services).flatMap(enter);
}
