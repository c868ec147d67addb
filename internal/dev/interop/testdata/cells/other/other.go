// Package other has types that package cells can only partly name.
package other

// hidden is a struct that others reach through Conf.
type hidden struct {
	Name  string   `json:"name"`
	Kinds []kind   `json:"kinds,omitempty"`
	Deep  *secret  `json:"deep,omitempty"`
	Rates [2]ratio `json:"rates"`
}

type kind string

type ratio float64

type secret struct {
	On    flag           `json:"on"`
	Count count          `json:"count"`
	By    map[kind]count `json:"by,omitempty"`
	Many  []secretItem   `json:"many,omitempty"`
	Twice **count        `json:"twice,omitempty"`
}

type secretItem struct {
	Count count `json:"count,string"`
}

type flag bool

type count uint8

// base is embedded by Conf.
type base struct {
	ID string `json:"id"`
}

// Conf has fields of types that nobody else can name.
type Conf struct {
	base
	Main  hidden            `json:"main"`
	List  []hidden          `json:"list,omitempty"`
	Parts map[string]hidden `json:"parts,omitempty"`
	Ptr   *hidden           `json:"ptr,omitempty"`
}

// Open is another name for a type that has none elsewhere.
type Open = sealed

type sealed struct {
	Kids []sealed `json:"kids,omitempty"`
	Name string   `json:"name"`
}
