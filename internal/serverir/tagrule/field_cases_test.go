package tagrule

// The structs of this file are looked at twice: by encoding/json, and as source by Fields.

type fieldLeft struct{ Same, L int }

type fieldRight struct{ Same, R int }

type fieldTagged struct {
	Other int `json:"Same"`
}

type fieldInner struct{ X, Y int }

type fieldMid1 struct{ fieldInner }

type fieldMid2 struct{ fieldInner }

type fieldNumber int

type FieldNumber int

type (
	fieldsDropped struct {
		fieldLeft
		fieldRight
	}
	fieldsTagWins struct {
		fieldLeft
		fieldTagged
		fieldRight
	}
	fieldsShallowWins struct {
		fieldLeft
		fieldRight
		Same int
	}
	fieldsTwoWays struct {
		A int
		fieldMid1
		fieldMid2
		X int
	}
	fieldsNamed struct {
		fieldLeft   `json:"left"`
		fieldRight  `json:"-"`
		fieldNumber // unexported and no struct: not there
		FieldNumber
		Odd   int `json:"a,b"`
		Quote int `json:"\"q\""`
		Dash  int `json:"-,"`
		Uni   int `json:"größe/1"`
		Empty int `json:""`
		small int
	}
	fieldsAlias struct {
		fieldAlias
		Z int
	}
	fieldAlias = fieldInner
)

// fieldCases have a value of each struct.
var fieldCases = map[string]any{
	"fieldsDropped": fieldsDropped{}, "fieldsTagWins": fieldsTagWins{}, "fieldsShallowWins": fieldsShallowWins{},
	"fieldsTwoWays": fieldsTwoWays{}, "fieldsNamed": fieldsNamed{fieldNumber: 1, small: 1}, "fieldsAlias": fieldsAlias{},
}
