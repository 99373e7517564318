package sarif

// The part of SARIF 2.1.0 that GitHub and the viewers use, under the names of the standard. What has no value is left out:
// GitHub takes an empty string for a missing value.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    [1]run `json:"runs"`
}

type run struct {
	Tool               tool                `json:"tool"`
	Invocations        [1]invocation       `json:"invocations"`
	OriginalURIBaseIDs map[string]artifact `json:"originalUriBaseIds"`
	ColumnKind         string              `json:"columnKind"`
	Results            []result            `json:"results"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name            string `json:"name"`
	InformationURI  string `json:"informationUri"`
	Version         string `json:"version,omitempty"`
	SemanticVersion string `json:"semanticVersion,omitempty"`
	Rules           []rule `json:"rules"`
}

type rule struct {
	ID                   string         `json:"id"`
	ShortDescription     text           `json:"shortDescription"`
	FullDescription      text           `json:"fullDescription"`
	HelpURI              string         `json:"helpUri"`
	Help                 markdown       `json:"help"`
	DefaultConfiguration configuration  `json:"defaultConfiguration"`
	Properties           ruleProperties `json:"properties"`
}

type configuration struct {
	Level string `json:"level"`
}

type ruleProperties struct {
	Tags            []string `json:"tags"`
	Precision       string   `json:"precision"`
	ProblemSeverity string   `json:"problem.severity"`
}

type text struct {
	Text string `json:"text"`
}

type markdown struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type invocation struct {
	ExecutionSuccessful        bool           `json:"executionSuccessful"`
	ToolExecutionNotifications []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level   string `json:"level"`
	Message text   `json:"message"`
}

// result cannot be made without a location: the array has one.
type result struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             text              `json:"message"`
	Locations           [1]location       `json:"locations"`
	RelatedLocations    []location        `json:"relatedLocations,omitempty"`
	CodeFlows           []codeFlow        `json:"codeFlows,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Fixes               []fix             `json:"fixes,omitempty"`
	Suppressions        []suppression     `json:"suppressions,omitempty"`
	Properties          resultProperties  `json:"properties"`
}

type resultProperties struct {
	Certainty string `json:"certainty"`
}

type location struct {
	ID               int              `json:"id,omitempty"`
	PhysicalLocation physicalLocation `json:"physicalLocation"`
	Message          *text            `json:"message,omitempty"`
}

type physicalLocation struct {
	ArtifactLocation artifact `json:"artifactLocation"`
	Region           region   `json:"region"`
}

type artifact struct {
	URI         string `json:"uri,omitempty"`
	URIBaseID   string `json:"uriBaseId,omitempty"`
	Description *text  `json:"description,omitempty"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type codeFlow struct {
	ThreadFlows [1]threadFlow `json:"threadFlows"`
}

type threadFlow struct {
	Locations []flowLocation `json:"locations"`
}

type flowLocation struct {
	Location location `json:"location"`
}

type fix struct {
	Description     text     `json:"description"`
	ArtifactChanges []change `json:"artifactChanges"`
}

type change struct {
	ArtifactLocation artifact      `json:"artifactLocation"`
	Replacements     []replacement `json:"replacements"`
}

type replacement struct {
	DeletedRegion   region `json:"deletedRegion"`
	InsertedContent text   `json:"insertedContent"`
}

type suppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification,omitempty"`
}
