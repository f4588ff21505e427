export { check, type Finding, type Severity } from './check.js';
export type { RuleText } from './finding.js';
export type {
  CallGraph,
  CheckInput,
  GraphCall,
  GraphService,
  Rate,
  StoreDeclaration,
  TrafficDeclaration,
} from './input.js';
export type { GraphPath, Hop } from './paths.js';
export { type DependencyReport, type WorstCaseReport, worstCases } from './report.js';
export { RULES, ruleById } from './rules.js';
export type { WorstCase } from './worst-case.js';
